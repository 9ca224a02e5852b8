// No violation that axe knows of, in both themes, with everything open.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { everything, question, survey, todo } from './fixtures.mjs';

const AXE = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

export const options = {
  before: ({ server }) => {
    for (const panel of [everything, survey, todo]) server.show(panel);
    server.questions = [question()];
  },
};

export default async function (host) {
  const { view, frame } = host;
  await view.getByRole('button', { name: 'Send answer' }).click();
  await view.getByRole('alert').filter({ hasText: 'not accepted' }).waitFor();
  await view.getByRole('button', { name: 'Continue' }).click();
  await view.getByRole('textbox', { name: 'Message to send' }).waitFor();
  await view.getByRole('button', { name: 'More actions: Write it' }).click();
  await view.getByRole('menu').waitFor();
  await frame.evaluate(AXE);
  for (const theme of ['light', 'dark']) {
    await host.bridge.setHostContext({ theme, locale: 'en-GB', timeZone: 'UTC' });
    await frame.waitForFunction((want) => document.documentElement.style.colorScheme === want, theme);
    const { violations, passes } = await frame.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] }));
    assert.ok(passes.length > 15, `axe checked only ${passes.length} rules`);
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join('\n  ')}`);
    assert.deepEqual(found, [], `${theme} theme`);
  }
  await view.getByRole('menuitem').first().click();
  await view.getByRole('dialog').waitFor();
  const { violations } = await frame.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa'] }));
  assert.deepEqual(violations, [], 'with the dialog open');
}
