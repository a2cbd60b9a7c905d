/** What an owner said of their site there, and says again here: nothing of the site itself is changed by an import. */
export const ownSettings = [
  ...([
    'title',
    'description',
    'accent_color',
    'logo',
    'icon',
    'cover_image',
    'lang',
    'locale',
    'timezone',
  ] as const),
  ...(['navigation', 'secondary_navigation', 'facebook', 'twitter', 'instagram', 'linkedin'] as const),
  ...(['threads', 'bluesky', 'mastodon', 'youtube', 'tiktok', 'codeinjection_head'] as const),
  'codeinjection_foot',
] as const;

/** Most that is told of one. */
const longest = 200;

/** What there was of it, for who sets it again. */
export function noteOfSettings(settings: ReadonlyMap<string, string>): string {
  if (settings.size === 0) return 'Not imported: these rows have no equivalent here';
  const told = [...settings].map(([name, value]) => `${name}: ${plain(value).slice(0, longest)}`);
  return `Not imported: set these values in Look and settings or in Profile (${told.join('; ')})`;
}

const link = /"label":\s{0,3}"([^"]{0,100})",\s{0,3}"url":\s{0,3}"([^"]{0,500})"/g;

/** Links as people read them. */
const plain = (value: string) =>
  [...value.matchAll(link)].map(([, label, url]) => `${label} (${url})`).join(', ') || value;
