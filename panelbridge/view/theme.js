// The host's look: theme, style variables and safe area.

const VARIABLE = /^--(color|font|border|shadow)-[a-z0-9-]+$/;

// applyTheme takes over what a host context says, and leaves the rest.
export function applyTheme(context) {
  const { style } = document.documentElement;
  if (context.theme) style.colorScheme = context.theme === 'dark' ? 'dark' : 'light';
  for (const [name, value] of Object.entries(context.styles?.variables ?? {})) {
    if (VARIABLE.test(name) && value) style.setProperty(name, value);
  }
  for (const side of ['top', 'right', 'bottom', 'left']) {
    const inset = context.safeAreaInsets?.[side];
    if (Number.isFinite(inset)) style.setProperty(`--inset-${side}`, `${inset}px`);
  }
}

// reportSize tells the host how much room the view needs, and whenever that changes.
export function reportSize(bridge) {
  let reported = '';
  const observer = new ResizeObserver(() => {
    const size = { width: Math.ceil(window.innerWidth), height: Math.ceil(document.body.getBoundingClientRect().height) };
    const text = JSON.stringify(size);
    if (text === reported) return;
    reported = text;
    bridge.notify('ui/notifications/size-changed', size);
  });
  observer.observe(document.body);
  return () => observer.disconnect();
}
