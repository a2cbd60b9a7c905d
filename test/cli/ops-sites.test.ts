import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { runNode } from '../support/process.ts';

test('creating a second site lists the sites that no visitor can reach any longer, with the command that assigns a domain', async () => {
  await using app = await startApp();
  const makeSite = (...options: string[]) =>
    runNode(['server/ops.ts', 'sites', 'create', ...options], { DATABASE_URL: app.databaseUrl });
  const first = await makeSite('--name', 'Harbour');
  const [, firstId = ''] = /Created site (\w+)/.exec(first.output) ?? [];
  expect(first.output.trim().split('\n')).toHaveLength(1);
  const second = await makeSite('--name', 'Lighthouse', '--custom-domain', 'lighthouse.example.com');
  expect(second.output.trim().split('\n').slice(1)).toEqual([
    expect.stringMatching(
      `^Harbour has no domain or subdomain.* sites update ${firstId} --custom-domain DOMAIN`,
    ),
  ]);
});
