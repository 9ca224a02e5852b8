// Every kind of block and every status, as assistive technology gets them.
// RAW_UPDATE=1 writes kinds.aria.yml anew: read the difference.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { everything, todo } from './fixtures.mjs';

const GOLDEN = new URL('./kinds.aria.yml', import.meta.url);

export default async function (host) {
  host.server.show(everything);
  host.server.show(todo);
  await host.result([everything]);
  await host.view.getByRole('heading', { name: 'Release' }).waitFor();
  await host.view.getByText('Other panels').waitFor();
  const got = `${await host.view.locator('main').ariaSnapshot()}\n`;
  if (process.env.RAW_UPDATE) await writeFile(GOLDEN, got);
  assert.equal(got, await readFile(GOLDEN, 'utf8'));
}
