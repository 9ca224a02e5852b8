// Runs one scenario: node run.mjs NAME VIEW, where VIEW is the file of the
// assembled view. It exits with 1 and says why when the scenario fails.
import { readFile } from 'node:fs/promises';
import { Host } from './host.mjs';

const [name, viewFile] = process.argv.slice(2);
const { options = {}, default: scenario } = await import(new URL(`./${name}.mjs`, import.meta.url));
const host = new Host(options);
try {
  await host.open(await readFile(viewFile, 'utf8'), options);
  await scenario(host);
  host.checkQuiet();
} catch (error) {
  console.error(error, host.faults);
  process.exitCode = 1;
} finally {
  await host.close();
}
