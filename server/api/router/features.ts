import { apiKeys } from '../../accounts/api-keys/procedures.ts';
import { signedInAssistants } from '../../accounts/assistants/procedures.ts';
import { audit } from '../../accounts/audit/procedures.ts';
import { people } from '../../accounts/people/procedures.ts';
import { account } from '../../accounts/sessions/account.ts';
import { sessions } from '../../accounts/sessions/procedures.ts';
import { sites } from '../../accounts/sites/procedures.ts';
import { analytics } from '../../audience/analytics/procedures.ts';
import { members } from '../../audience/members/procedures.ts';
import { mailings } from '../../audience/newsletters/procedures.ts';
import { outbox } from '../../audience/outbox/procedures.ts';
import { newsletters } from '../../audience/subscribers/procedures.ts';
import { testimonials } from '../../audience/testimonials/procedures.ts';
import { curriculum } from '../../content/courses/procedures.ts';
import { drafts } from '../../content/drafts/procedures.ts';
import { markdown } from '../../content/markdown/procedures.ts';
import { pages } from '../../content/pages/procedures.ts';
import { posts } from '../../content/posts/procedures.ts';
import { previews } from '../../content/previews/procedures.ts';
import { profile } from '../../content/profile/procedures.ts';
import { redirects } from '../../content/redirects/procedures.ts';
import { search } from '../../content/search/procedures.ts';
import { trash } from '../../content/trash/procedures.ts';
import { eventLog } from '../../events/procedures.ts';
import { webhooks } from '../../events/webhooks/procedures.ts';
import { learning } from '../../learning/procedures.ts';
import { mediaFiles } from '../../media/procedures.ts';
import { offers } from '../../selling/offer-procedures.ts';
import { payments } from '../../selling/payment-procedures.ts';
import { selling } from '../../selling/procedures.ts';
import { importExport } from '../../transfer/procedures.ts';
import { content } from './content.ts';

/** All features, by the surfaces on which they have procedures, in the order of the documentation. */
const features = [
  drafts,
  content,
  curriculum,
  learning,
  selling,
  offers,
  payments,
  testimonials,
  newsletters,
  mailings,
  outbox,
  posts,
  pages,
  profile,
  search,
  sites,
  members,
  analytics,
  markdown,
  trash,
  audit,
  eventLog,
  sessions,
  account,
  people,
  apiKeys,
  signedInAssistants,
  webhooks,
  mediaFiles,
  redirects,
  previews,
  importExport,
] as const;

/**
 * Surfaces: API versions, owner's panel, studio and visitors' input; then those for assistants only, pages only and
 * file uploads only.
 */
type Surface = 'v1' | 'v2' | 'admin' | 'studio' | 'site' | 'assistants' | 'visitors' | 'uploads';

/** Procedures of features on a surface, by name and in order. */
type Merged<Features, S extends Surface> = Features extends readonly [infer First, ...infer Rest]
  ? (First extends Record<S, infer Procedures> ? Procedures : unknown) & Merged<Rest, S>
  : unknown;

type Flat<T> = { [Name in keyof T]: T[Name] };

type ProceduresOn<S extends Surface> = Flat<Merged<typeof features, S>>;

export function proceduresOn<S extends Surface>(surface: S): ProceduresOn<S> {
  const parts = features.map((feature: { [S in Surface]?: object }) => feature[surface]);
  // TypeScript cannot follow which names are merged, so the cast states it.
  return Object.assign({}, ...parts) as ProceduresOn<S>;
}
