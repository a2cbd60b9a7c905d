import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { anyId } from '../support/matchers.ts';

const run = promisify(execFile);
const inspector = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector-cli'));

test("the official inspector's command line lists the tools of a key, and calls them", async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['mcp:posts:read', 'mcp:posts:write'] });
  const request = (...options: string[]) => inspect(app.baseUrl, key, options);

  const { tools } = (await request('--method', 'tools/list')) as { tools: { name: string }[] };
  const created = await request(
    '--method',
    'tools/call',
    '--tool-name',
    'create_post',
    '--tool-arg',
    'title=Hello',
  );
  const read = await request('--method', 'tools/call', '--tool-name', 'get_post', '--tool-arg', 'slug=hello');

  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['list_posts', 'get_post', 'create_post', 'update_post', 'delete_post']),
  );
  expect(created).toMatchObject({ structuredContent: { id: anyId } });
  expect(read).toMatchObject({ structuredContent: { title: 'Hello', slug: 'hello' } });
});

/** Runs the inspector and parses its JSON output. It searches for its own package.json from the working directory. */
async function inspect(baseUrl: string, key: string, options: readonly string[]): Promise<unknown> {
  const target = [`${baseUrl}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`];
  const cwd = path.dirname(inspector);
  const { stdout } = await run(process.execPath, [inspector, '--cli', ...target, ...options], { cwd });
  return JSON.parse(stdout);
}
