/** Words of field names that aren't written like other words. */
const spelled: Record<string, string> = {
  url: 'URL',
  id: 'ID',
  cta: 'call to action:',
  repo: 'repository',
  tech: 'technology',
  mcp: 'MCP',
};

/** Names that say something else to a person than to a program. */
const named: Record<string, string> = { is_draft: 'Draft', publish_at: 'Schedule' };

/** A name of the contract as a person reads it: `published_at` is `Published at`, `slides_url` is `Slides URL`. */
export function labelOf(name: string): string {
  if (named[name]) return named[name];
  const words = name.split('_').map((word) => spelled[word] ?? word);
  return capitalised(words.join(' '));
}

export const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
