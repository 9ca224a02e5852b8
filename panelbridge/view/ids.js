// Short element ids for names that data chose.

const ids = new Map();

export function idOf(name) {
  if (!ids.has(name)) ids.set(name, `n${ids.size + 1}`);
  return ids.get(name);
}
