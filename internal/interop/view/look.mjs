// The host's look: theme, its variables, its changes, and the size that it is told.
import assert from 'node:assert/strict';
import { everything, todo } from './fixtures.mjs';

export const options = {
  context: { theme: 'dark', styles: { variables: { '--color-background-primary': 'rgb(1, 2, 3)', '--color-text-primary': 'rgb(250, 251, 252)' } } },
  before: ({ server }) => server.show(todo),
};

export default async function (host) {
  const { view, frame, sizes } = host;
  await host.result();
  await view.getByRole('article', { name: 'Todo' }).waitFor();
  const style = () => frame.evaluate(() => [getComputedStyle(document.documentElement).colorScheme, getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]);
  assert.deepEqual(await style(), ['dark', 'rgb(1, 2, 3)', 'rgb(250, 251, 252)']);
  await host.bridge.setHostContext({ theme: 'light' });
  await frame.waitForFunction(() => document.documentElement.style.colorScheme === 'light');
  assert.equal((await style())[0], 'light');

  const height = () => frame.evaluate(() => Math.ceil(document.body.getBoundingClientRect().height));
  await host.until(() => sizes.length > 0, 'a size');
  const small = await height();
  await host.until(() => sizes.at(-1).height === small, `the height ${small}`);
  host.server.show(everything);
  await host.result();
  await view.getByRole('article', { name: 'Release' }).waitFor();
  const large = await height();
  assert.ok(large > small);
  await host.until(() => sizes.at(-1).height === large, `the height ${large}`);
  assert.equal(sizes.at(-1).width, 720);

  const moving = () => frame.evaluate(() => document.getAnimations().length);
  assert.equal(await moving(), 1, 'the progress that has no end');
  await host.page.emulateMedia({ reducedMotion: 'reduce' });
  assert.equal(await moving(), 0, 'something moves although the person wants no motion');

  // A dialog must have room, however short the view is.
  host.server.show({ ...todo, revision: 2, document: { ...todo.document, blocks: [] }, declaration: { ...todo.declaration, actions: [{ id: 'x', label: 'Reset', scope: 'panel', kind: 'tool', confirm: 'Sure?', arguments: {} }] } });
  await host.result([host.server.panels.at(-1)]);
  await view.getByRole('button', { name: 'Reset' }).click();
  await view.getByRole('dialog').waitFor();
  await host.until(() => sizes.at(-1).height >= 220, 'room for the dialog');
}
