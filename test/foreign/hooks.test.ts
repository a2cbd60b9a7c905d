import { readFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../client/sdk/index.ts';
import { messageIdOf } from '../../shared/newsletter/mail-tokens.ts';
import { startMailingSite } from '../support/mailing-site.ts';
import { sentMailing } from '../support/sent-mailing.ts';
import documented from './hooks.json' with { type: 'json' };

// Runs the code in docs/operate/bounces.md on hooks from the providers' documentation. None of them was recorded.

const Hooks = z.array(
  z.strictObject({
    from: z.string(),
    adapter: z.enum(['fromSes', 'fromPostmark', 'fromMailgun']),
    hook: z.record(z.string(), z.unknown()),
    becomes: z.enum(['active', 'bounced', 'complained']),
  }),
);

const page = await readFile(new URL('../../docs/operate/bounces.md', import.meta.url), 'utf8');

/** Returns the adapter as a reader would copy it from the page. */
function adapterOf(name: string): (hook: unknown) => object[] {
  const code = new RegExp(`\`\`\`ts\\n(function ${name}\\([\\s\\S]*?\\n}\\n)\`\`\``).exec(page)?.[1];
  if (!code) throw new Error(`docs/operate/bounces.md has no ${name}`);
  expect(code.split('\n').length).toBeLessThan(22);
  return new Function(`${code}; return ${name};`)();
}

const site = await startMailingSite();
afterAll(() => site[Symbol.asyncDispose]());
const apiKey = await site.seed.key({ siteId: site.siteId, scopes: ['write:newsletter'] });

test.for(Hooks.parse(documented))(
  'after the bounce report $from passes the adapter that the guide documents, its reader is $becomes',
  async ({ adapter, hook, becomes }, { task }) => {
    const email = `${task.id.replaceAll(/\W/g, '')}@example.com`;
    await site.subscribe([email]);
    const { id: mailing_id, copyOf } = await sentMailing(site, [email]);
    site.clock.catchUp();
    const now = site.clock.now();
    const marks: Record<string, string | number> = {
      EMAIL: email,
      NOW: now.toISOString(),
      // A time with more digits than other providers send.
      LONG: now.toISOString().replace('Z', '0259Z'),
      MESSAGE: messageIdOf({ id: copyOf(email), mailing_id, host: 'example.com' }).slice(1, -1),
      SECONDS: now.getTime() / 1_000,
    };
    const text = JSON.stringify(hook).replaceAll('"SECONDS"', String(marks.SECONDS));
    const came = JSON.parse(text.replaceAll(/EMAIL|NOW|LONG|MESSAGE/g, (mark) => String(marks[mark])));

    const items = z
      .array(z.looseObject({ type: z.enum(['bounce', 'complaint']) }))
      .parse(adapterOf(adapter)(came));
    const client = createClient({ baseUrl: site.baseUrl, apiKey });
    if (items.length > 0)
      expect(await client.v2.mailings.feedback.mutate({ items })).toEqual({
        known: items.length,
        unknown: 0,
      });
    const [reader] = await site.run<{ status: string }>('select status from subscribers where email = ?', [
      email,
    ]);
    expect(reader?.status).toBe(becomes);
  },
);
