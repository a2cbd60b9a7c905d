/** Imports that files of a room may use, in addition to files of the same room. */
export interface Direction {
  /** Folders or files of the project. A folder that ends with `/*` stands for its own files, without folders in it. */
  project: string;
  /** Parts of `project` that stay forbidden. */
  except?: string;
  /** Packages, if not every one of the workspace is allowed: `only` these, or all `but` these. `node:` covers Node's modules. */
  only?: string;
  but?: string;
}

const kernel = 'shared server/api/*';
const access = `${kernel} server/api/limits server/api/cache server/api/access`;
const surface = `${access} server/api/calls server/api/router`;
const features =
  'server/content server/audience server/accounts server/events server/media server/learning server/selling server/transfer';
const browser = 'shared/contract shared/archive client/sdk/index.ts';

/** The studio runs in a browser: it imports the contract, the client package, and floors below. */
const studio = (...floors: string[]): Direction => ({
  project: [browser, ...floors.map((floor) => `client/studio/${floor}`)].join(' '),
  but: 'node:',
});

/**
 * Allowed imports by file pattern. The first row that matches a file applies. A file may import its own room, which is the
 * part of its path in front of `**`: each folder that a `*` there matches is a room of its own.
 */
export const directions: Record<string, Direction> = {
  'shared/contract/features/**': { project: 'shared/contract', only: 'zod' },
  // The contract's grammar and tables know no feature.
  'shared/contract/**': { project: '', except: 'shared/contract/features', only: 'zod' },
  // Browsers run it too.
  'shared/archive/**': { project: '', but: 'node:' },
  // Importers turn bytes into plain records: no database, no server.
  'shared/importers/**': {
    project:
      'shared/contract shared/content/slug.ts shared/runtime/file-system.ts shared/runtime/parse-json.ts',
    but: 'kysely @mikro-orm @trpc fastify',
  },
  'shared/**': { project: '' },
  'worker/**': { project: 'shared' },

  'server/api/*': { project: kernel },
  'server/api/{limits,cache,calls}/**': { project: kernel },
  'server/api/access/**': { project: access },
  'server/api/router/**': { project: `${access} ${features}` },
  // The paywall of posts checks the access of members.
  'server/content/**': { project: `${access} server/audience/members` },
  'server/audience/**': { project: `${access} server/events` },
  'server/learning/**': { project: `${access} server/audience server/events` },
  'server/selling/**': { project: `${access} server/audience server/events` },
  'server/transfer/**': { project: `${access} server/content server/media` },
  'server/{accounts,events,media}/**': { project: access },
  // Threads run the jobs of these rooms, without calls and limits.
  'server/threads/**': { project: `${kernel} server/content/markdown server/media server/transfer` },

  // The files in server/http itself serve all surfaces in its folders and know none of them.
  'server/http/*': { project: `${surface} server/http/*` },
  'server/http/**': { project: surface },
  // Pages show answers of procedures, so that the paywall, the tenant and the contract apply to them.
  'server/site/**': {
    project: `shared/contract shared/content/gate.ts shared/content/sanitized-html.ts shared/i18n shared/runtime/compressed-body.ts
      shared/theme server/api/* server/api/access server/api/calls server/api/router server/http`,
    but: 'kysely @mikro-orm',
  },
  // Entries and the rooms that compose all others: start, cli, demo.
  'server/**': { project: 'shared' },

  'client/sdk/contract.ts': { project: 'shared/contract server/api/router client/sdk' },
  'client/sdk/bin/**': { project: 'shared client/sdk' },
  'client/sdk/build/**': { project: 'shared server client/sdk' },
  // Browsers run it. It takes types of the service through contract.ts.
  'client/sdk/**': { project: 'shared/contract', but: 'zod node:' },

  'client/studio/{build/**,vite.config.ts}': {
    project: 'client/studio/build shared/runtime/remove-left-folders.ts',
  },
  'client/studio/strings/**': studio(),
  'client/studio/ui/**': studio('strings'),
  'client/studio/forms/**': studio('strings', 'ui'),
  'client/studio/data/**': studio('strings', 'ui', 'forms'),
  'client/studio/records/**': studio('strings', 'ui', 'forms', 'data'),
  'client/studio/screens/*/**': studio('strings', 'ui', 'forms', 'data', 'records'),
  'client/studio/**': studio(),
};

/** Closed folders. Other rooms import only their doors, and the README in the folder describes what these export. */
export const doors: Record<string, readonly string[]> = {
  // The `listen` command of the client package signs deliveries without loading the sender and its address ranges. The worker
  // loads the connections, with undici, when it starts; the server loads them with its first delivery.
  'shared/webhooks': ['index.ts', 'sign.ts', 'connections.ts'],
  'shared/markdown': ['index.ts'],
  // Only threads import read-records.ts, which loads a Markdown parser. The server does without it.
  'shared/importers': ['index.ts', 'read-records.ts'],
  'shared/postgres': ['index.ts'],
  'server/site': ['index.ts'],
  'server/cli': ['index.ts'],
};
