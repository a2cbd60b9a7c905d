/** Words of field names that aren't written like other words. */
const spelled: Record<string, string> = {
  url: 'URL',
  id: 'ID',
  cta: 'call to action:',
  repo: 'repository',
  tech: 'technology',
  mcp: 'MCP',
};

/** A name of the contract as a person reads it: `published_at` is `Published at`, `slides_url` is `Slides URL`. */
export function labelOf(name: string): string {
  const words = name.split('_').map((word) => spelled[word] ?? word);
  return capitalised(words.join(' '));
}

export const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
