/** What a part of the code may import besides itself. */
export interface Direction {
  /** Folders, or files, of the project. */
  project: string;
  /** What of these it may not import all the same. */
  except?: string;
  /** Packages, where not every one of the workspace: `only` these, or all `but` these. `node:` stands for Node's own. */
  only?: string;
  but?: string;
}

const kernel = 'shared server/api';
const access = `${kernel} server/api/limits server/api/cache server/api/access`;
const surface = `${access} server/api/calls server/api/router`;
const browser = 'shared/contract shared/archive client/sdk/index.ts';

/** The studio runs in a browser: it imports the contract, the client, and floors below. */
const studio = (...floors: string[]): Direction => ({
  project: [browser, ...floors.map((floor) => `client/studio/${floor}`)].join(' '),
  but: 'node:',
});

/**
 * A file keeps to the first row that it matches. What stands in front of `**` is one part: where that ends with `*`, each folder
 * is a part of its own, which imports no other that isn't named.
 */
export const directions: Record<string, Direction> = {
  'shared/contract/features/**': { project: 'shared/contract', only: 'zod' },
  // The contract's grammar, and what is declared in it, know no feature.
  'shared/contract/**': { project: '', except: 'shared/contract/features', only: 'zod' },
  // It runs in a browser, too.
  'shared/archive/**': { project: '', but: 'node:' },
  'shared/**': { project: '' },
  'worker/**': { project: 'shared' },

  'server/api/**': { project: 'shared' },
  'server/api/limits/**': { project: kernel },
  'server/api/cache/**': { project: kernel },
  'server/api/calls/**': { project: kernel },
  'server/api/access/**': { project: access },
  'server/audience/subscribers/**': {
    project: `${access} server/events server/audience/members server/features/kinds server/transfer/tickets.ts`,
  },
  'server/audience/members/**': { project: `${access} server/transfer/tickets.ts` },
  'server/audience/testimonials/**': { project: `${access} server/events server/features/kinds` },
  'server/content/courses/**': { project: `${access} server/content/records server/content/revisions` },
  'server/features/{drafts,pages,redirects,revisions,schedule,trash}/**': {
    project: `${access} server/content/records`,
  },
  'server/content/previews/**': {
    project: `${access} server/content/records server/content/posts server/content/courses server/content/redirects/shown-at.ts`,
  },
  'server/audience/newsletters/**': { project: `${access} server/content/records` },
  'server/accounts/people/**': { project: `${access} server/accounts/sessions` },
  'server/content/posts/**': { project: `${access} server/content/records server/audience/members` },
  // Importers turn bytes into plain records: no database, no server.
  'shared/importers/**': {
    project:
      'shared/contract shared/content/slug.ts shared/runtime/file-system.ts shared/runtime/parse-json.ts',
    but: 'kysely @mikro-orm @trpc fastify',
  },
  'server/transfer/**': {
    project: `${access} server/content/records server/media server/content/redirects/shown-at.ts`,
  },
  'server/features/*/**': { project: access },
  'server/threads/**': { project: `${kernel} server/features` },
  'server/api/router/**': { project: `${access} server/features` },
  'server/http/**': { project: surface },
  // Pages are made of what procedures give: paywall, tenant and contract are theirs.
  'server/site/**': {
    project:
      'shared/contract shared/paywall shared/theme shared/i18n shared/runtime/coded.ts shared/content/sanitized-html.ts server/api server/api/access server/api/calls server/api/router server/surfaces',
    but: 'kysely @mikro-orm',
  },
  'server/surfaces/**': { project: surface },
  // Entries, and what composes.
  'server/**': { project: 'shared' },

  'client/sdk/contract.ts': { project: 'shared/contract server/api/router client/sdk' },
  'client/sdk/bin/**': { project: 'shared client/sdk' },
  'client/sdk/build/**': { project: 'shared server client/sdk' },
  // It runs in a browser, and takes types of the service through contract.ts.
  'client/sdk/**': { project: 'shared/contract', but: 'zod node:' },

  'client/studio/{build/**,vite.config.ts}': {
    project: 'client/studio/build shared/runtime/left-folders.ts',
  },
  'client/studio/strings/**': studio(),
  'client/studio/ui/**': studio('texts'),
  'client/studio/forms/**': studio('texts', 'ui'),
  'client/studio/data/**': studio('texts', 'ui', 'forms'),
  'client/studio/records/**': studio('texts', 'ui', 'forms', 'data'),
  'client/studio/screens/*/**': studio('texts', 'ui', 'forms', 'data', 'kinds'),
  'client/studio/**': studio(),
};
