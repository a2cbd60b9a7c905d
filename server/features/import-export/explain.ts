import type { z } from 'zod';

/** Most broken rules that are named of one record. */
const most = 5;

/** What is wrong with a record, in the words of its contract. */
export function explain({ issues }: z.core.$ZodError): string {
  const named = issues
    .slice(0, most)
    .map(({ path, message }) => (path.length > 0 ? `${path.map(String).join('.')}: ${message}` : message));
  return [...named, ...(issues.length > most ? [`and ${issues.length - most} more`] : [])].join('; ');
}
