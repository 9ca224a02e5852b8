// Keeping the reader's place while the page changes.

// keepReading lets change alter the page; what was first in sight, or the
// element with the focus, is at the same height afterwards.
export function keepReading(root, change) {
  const anchors = inSight(root).map((element) => [element, element.getBoundingClientRect().top]);
  const focused = focusOf(document.activeElement);
  change();
  restoreFocus(focused);
  const anchor = anchors.find(([element]) => element.isConnected);
  if (!anchor) return;
  const moved = anchor[0].getBoundingClientRect().top - anchor[1];
  if (moved !== 0) window.scrollBy({ top: moved, behavior: 'instant' });
}

// inSight lists what may hold the place, the best first: the focus, then what
// begins in sight, then what only reaches into it.
function inSight(root) {
  const focused = document.activeElement;
  const anchors = root.contains(focused) ? [focused] : [];
  // At the very top nothing has been scrolled past: what is new may push down.
  if (window.scrollY > 0) anchors.push(...root.querySelectorAll('[data-anchor]'));
  const sight = anchors.map((element) => [element, element.getBoundingClientRect()]).filter(([, box]) => box.height > 0 && box.bottom > 0 && box.top < window.innerHeight);
  const begins = ([element, box]) => element === focused || box.top >= 0;
  return [...sight.filter(begins), ...sight.filter((entry) => !begins(entry))].map(([element]) => element);
}

function focusOf(element) {
  if (!element?.id) return null;
  return { id: element.id, start: element.selectionStart, end: element.selectionEnd };
}

// restoreFocus is for an element that was made anew somewhere else.
function restoreFocus(focused) {
  if (!focused || document.activeElement?.id === focused.id) return;
  const element = document.getElementById(focused.id);
  if (!element || document.activeElement !== document.body) return;
  element.focus({ preventScroll: true });
  if (typeof focused.start === 'number') element.setSelectionRange(focused.start, focused.end);
}
