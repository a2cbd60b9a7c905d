import { createContext, type ReactNode, useContext, useState, useSyncExternalStore } from 'react';
import { type ApiClient, createClient } from '../../sdk/index.ts';
import { createUpload, type Upload } from '../media/upload.ts';
import { createImports, type ImportState, type Imports } from '../moving/imports.ts';
import { createSessionStore, type SessionState, type SessionStore } from '../session/session.ts';
import { sessionFetch } from '../session/session-fetch.ts';
import { type Account, type BrowserStorage, storageOf, tabStorage } from './browser-storage.ts';
import { createUnsaved, type Unsaved } from './unsaved.ts';

interface Service {
  sessions: SessionStore;
  api: ApiClient;
  upload: Upload;
  imports: Imports;
}

const ServiceContext = createContext<Service | null>(null);

/** What the studio talks to: the service that the page came from, as the owner of the session. */
export function createService(): Service {
  const sessions = createSessionStore(tabStorage(), loadAnew);
  const fetchAsOwner = sessionFetch(sessions);
  const api = createClient({ baseUrl: window.location.origin, fetch: fetchAsOwner });
  return { sessions, api, upload: createUpload(fetchAsOwner), imports: createImports(api) };
}

/**
 * Not before what is gone from the screen has stopped asking whether the page may be left. Without a network there would be
 * no page: then it waits for whoever signs in next.
 */
const loadAnew = () =>
  void setTimeout(() => {
    if (navigator.onLine) window.location.replace('/studio');
  });

export const ServiceProvider = ({ service, children }: { service: Service; children: ReactNode }) => (
  <ServiceContext value={service}>{children}</ServiceContext>
);

function useService(): Service {
  const service = useContext(ServiceContext);
  if (!service) throw new Error('no ServiceProvider above');
  return service;
}

export const useApi = (): ApiClient => useService().api;
export const useUpload = (): Upload => useService().upload;
export const useSessions = (): SessionStore => useService().sessions;

/** The import of this tab, and how far it is. */
export function useImports(): [ImportState, Imports] {
  const { imports } = useService();
  return [useSyncExternalStore(imports.subscribe, imports.get), imports];
}

export function useSession(): SessionState {
  const sessions = useSessions();
  return useSyncExternalStore(sessions.subscribe, sessions.get);
}

/** What the browser keeps for who is signed in. */
interface Kept {
  storage: BrowserStorage;
  unsaved: Unsaved;
}

const KeptContext = createContext<Kept | null>(null);

export function AccountProvider({ account, children }: { account: Account; children: ReactNode }) {
  const [kept] = useState(() => {
    const storage = storageOf(account);
    return { storage, unsaved: createUnsaved(storage) };
  });
  return <KeptContext value={kept}>{children}</KeptContext>;
}

export function useKept(): Kept {
  const kept = useContext(KeptContext);
  if (!kept) throw new Error('no AccountProvider above');
  return kept;
}
