import type { z } from 'zod';

// The server imports this module, too, so it must not load a parser.

/** Joins the notes on a record to one text. Each note begins with a capital letter and has no period. */
export const joinNotes = (notes: readonly string[]) => notes.join('. ');

/** Maximum number of broken rules that a note on a record names. */
const maxIssues = 5;

/** Describes the rules of a contract that a record breaks. */
export function explain({ issues }: z.core.$ZodError): string {
  const named = issues
    .slice(0, maxIssues)
    .map(({ path, message }) => (path.length > 0 ? `${path.map(String).join('.')}: ${message}` : message));
  return [...named, ...(issues.length > maxIssues ? [`and ${issues.length - maxIssues} more`] : [])].join(
    '; ',
  );
}
