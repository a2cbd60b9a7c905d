import type { Service } from '../data/api.tsx';
import { nameMediaSite } from '../data/media.ts';
import { createProofs, provingClient } from '../data/proofs.ts';
import type { WriteAwareQueryClient } from '../data/query-client.ts';
import { createSessionStore, serviceFor, sessionFetch } from '../data/session.ts';
import { createUpload, fetchForm } from '../forms/upload.ts';
import { createImports } from '../pages/import-export/imports.ts';
import { tabStorage } from '../ui/browser-storage.ts';
import { pathOfAnew } from './connect-path.ts';

/** What the screens share: the service, and the import that goes on in this tab. */
export function createService(queries: WriteAwareQueryClient) {
  const sessions = createSessionStore(tabStorage(), loadAnew);
  nameMediaSite(sessions);
  const proofs = createProofs();
  const client = serviceFor({ fetch: sessionFetch(sessions) });
  const api = provingClient(client, { ask: proofs.ask, beginWrite: () => queries.beginWrite() });
  const service: Service = {
    sessions,
    proofs,
    api,
    upload: createUpload((onSent) => sessionFetch(sessions, fetchForm(onSent))),
  };
  return { service, imports: createImports(api, () => void queries.invalidateQueries()) };
}

/**
 * Not before what is gone from the screen has stopped asking whether the page may be left. Without a network there would be
 * no page: then it waits for whoever signs in next.
 */
const loadAnew = () =>
  void setTimeout(() => {
    if (navigator.onLine) window.location.replace(pathOfAnew());
  });
