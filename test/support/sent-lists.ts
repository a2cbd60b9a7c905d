import type { z } from 'zod';
import { ImportLine, type ImportSettings } from '../../shared/contract/features/import-export.ts';
import type { TestApp } from './app.ts';
import { rowsOf } from './archives.ts';
import { ownerClient } from './rpc.ts';

/** Creates a site whose owner uploads lists of people over HTTP. */
export async function listReceiver(app: TestApp) {
  const siteId = await app.seed.site();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
  const send = async (
    step: 'check' | 'import',
    file: string | Buffer,
    settings: z.input<typeof ImportSettings> = {},
  ) => {
    const { url } = await studio.transfers[step].mutate(settings);
    const body = new Uint8Array(Buffer.from(file));
    const answer = await fetch(app.baseUrl + url, { method: 'POST', body });
    const lines = (await answer.text())
      .split('\n')
      .filter(Boolean)
      .map((line) => ImportLine.parse(JSON.parse(line)));
    const records = lines.flatMap((line) => ('record' in line ? [line.record] : []));
    return {
      questions: lines.flatMap((line) => ('questions' in line ? line.questions : [])),
      told: records.map(({ title, outcome, reason }) => [title, outcome, reason]),
      refused: records.filter(({ outcome }) => outcome === 'refused'),
      last: lines.at(-1),
    };
  };
  return {
    siteId,
    studio,
    check: (file: string | Buffer, settings?: z.input<typeof ImportSettings>) =>
      send('check', file, settings),
    import: (file: string | Buffer, settings?: z.input<typeof ImportSettings>) =>
      send('import', file, settings),
    /** Returns the names of the active subscribers, by address. */
    async subscribers(): Promise<Record<string, string>> {
      const rows = await rowsOf<{ email: string; name: string }>(
        app,
        `select email, name from subscribers where site_id = '${siteId}' and status = 'active' order by email`,
      );
      return Object.fromEntries(rows.map(({ email, name }) => [email, name]));
    },
  };
}
