import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import type { MailingSite } from '../support/mailing-site.ts';
import { titleOf } from '../support/registers.ts';
import { ownerClient } from '../support/rpc.ts';

interface Found {
  id: string;
  is_draft: boolean;
  publish_at: Date | null;
  /** Number of publication events, and of those before the scheduled time (`early`). */
  published: number;
  early: number;
}

/** Schedules drafts of one round for three seconds later, one after the other, and reports their outcomes. */
export function createScheduler({ run }: Pick<MailingSite, 'run'>, name: string) {
  const requested = new Map<string, { title: string; isAnswered: boolean }>();
  // Limits the query to events of this round, since their number grows with each round.
  const since = new Date();
  const find = () =>
    run<Found>(
      `select p.id, p.is_draft, p.publish_at, count(e.id)::int as published,
         count(*) filter (where e.occurred_at < p.published_at)::int as early
       from posts p left join events e
         on e.site_id = p.site_id and e.name = 'content.published' and e.occurred_at > ?
         and e.body::json -> 'data' ->> 'id' = p.id
       where p.title like ? group by p.site_id, p.id`,
      [since, `${name} v%`],
    );
  return {
    /** Returns true if both writes were answered. After an error the outcome is unknown. */
    async schedule(baseUrl: string, token: string): Promise<boolean> {
      const { posts } = ownerClient(baseUrl, token).studio;
      const title = titleOf(name, String(requested.size + 1));
      try {
        const { id } = await posts.create.mutate({ title, is_draft: true });
        const one = { title, isAnswered: false };
        requested.set(id, one);
        await posts.schedule.mutate({ id, publish_at: new Date(Date.now() + 3_000) });
        one.isAnswered = true;
        return true;
      } catch {
        await delay(50);
        return false;
      }
    },
    /** Waits until no draft is scheduled. Returns the titles that subscribers must have received. */
    async settled() {
      const isOver = async () => (await find()).every(({ publish_at }) => publish_at === null);
      await eventually(() => isOver().catch(() => false)).catch(console.log);
      const rows = await eventually(() => find().catch(() => null));
      const found = new Map(rows.map((row) => [row.id, row]));
      const ends = [...requested].map(([id, { title, isAnswered }]) => ({
        title,
        isAnswered,
        row: found.get(id),
      }));
      const isKept = ({ isAnswered, row }: (typeof ends)[number]) =>
        row && (row.is_draft ? !isAnswered && row.publish_at === null : row.published > 0);
      const answered = ends.filter(({ isAnswered }) => isAnswered);
      return {
        titles: answered.map(({ title }) => title),
        counted: {
          scheduled: answered.length,
          'schedules missing': ends.filter((end) => !isKept(end)).length,
          'schedules doubled': rows.filter(({ published }) => published > 1).length,
          'schedules early': rows.filter(({ early }) => early > 0).length,
        },
      };
    },
  };
}
