import { z } from 'zod';

/** What answers have that a line can tell. */
const Tellable = z.looseObject({
  data: z.array(z.unknown()).optional(),
  items: z.array(z.unknown()).optional(),
  events: z.array(z.unknown()).optional(),
  total: z.number().optional(),
  next_cursor: z.string().optional(),
  status: z.string().optional(),
  title: z.string().optional(),
  name: z.string().optional(),
  id: z.string().optional(),
});

const longestGist = 100;

/** One line about an answer, for a log or a reader beside the structured content, which holds all of it. */
export function answerLine(title: string, answer: object, omitted: readonly string[] = []): string {
  const gist = gistOf(Tellable.safeParse(answer).data ?? {});
  const missing =
    omitted.length > 0 ? `; left out: ${omitted.join(', ')} (name what you need in fields)` : '';
  return `${title}: ${gist}${missing}`;
}

function gistOf({ data, items, events, ...answer }: z.infer<typeof Tellable>): string {
  const list = data ?? items ?? events;
  if (list) {
    const count = answer.total === undefined ? `${list.length}` : `${list.length} of ${answer.total}`;
    return answer.next_cursor === undefined ? count : `${count}, more with next_cursor`;
  }
  const gist = answer.status ?? answer.title ?? answer.name ?? answer.id ?? 'done';
  return gist.replace(/\s+/g, ' ').slice(0, longestGist);
}
