import { createSafeContext } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo } from 'react';
import { z } from 'zod';
import { isTimeZone, utc } from '../../../shared/contract/time-zone.ts';
import type { ApiClient } from '../../sdk/index.ts';
import { FormServicesProvider } from '../forms/form-context.tsx';
import type { Upload } from '../forms/upload.ts';
import { type Account, type BrowserStorage, storageOf } from '../ui/browser-storage.ts';
import { useStore } from '../ui/store.ts';
import { TimeZoneProvider } from '../ui/time.tsx';
import type { Proofs } from './identity-proofs.ts';
import { siteQuery } from './queries.ts';
import type { Session, SessionState, SessionStore } from './session.ts';
import { createUnsaved, type Unsaved } from './unsaved-edits.ts';

/** Connection to the service that the page came from, as the signed-in user. */
interface Service {
  sessions: SessionStore;
  proofs: Proofs;
  api: ApiClient;
  upload: Upload;
}

const [ServiceProvider, useService] = createSafeContext<Service>('no ServiceProvider above');

export { ServiceProvider };

/** Returns the client of the service. Throws an `Error` outside `ServiceProvider`, as the other hooks of this file do. */
export const useApi = (): ApiClient => useService().api;
export const useUpload = (): Upload => useService().upload;
export const useSessions = (): SessionStore => useService().sessions;

/**
 * Returns the state of the identity check: `isRequested` is true while the user must prove their identity. `settle`
 * reports the outcome.
 */
export function useProofs() {
  const { proofs } = useService();
  return { isRequested: useStore(proofs) !== null, settle: proofs.settle };
}

export const useSession = (): SessionState => useStore(useSessions());

/** Returns the session of the signed-in user; null if there is none. */
export function useOwn(): Session | null {
  const state = useSession();
  return state.is === 'out' ? null : state.session;
}

/** Browser storage of the signed-in user, and the unsaved edits in it. */
interface AccountStorage {
  storage: BrowserStorage;
  unsaved: Unsaved;
}

const [AccountContext, useAccountStorage] = createSafeContext<AccountStorage>('no AccountProvider above');

export { useAccountStorage };

export function AccountProvider({ account, children }: { account: Account; children: ReactNode }) {
  const { api, upload } = useService();
  const { siteId, ownerId } = account;
  const stored = useMemo(() => {
    const storage = storageOf({ siteId, ownerId });
    return { storage, unsaved: createUnsaved(storage) };
  }, [siteId, ownerId]);
  const forms = useMemo(
    () => ({
      storage: stored.storage,
      upload,
      preview: async (content: string, signal: AbortSignal) => {
        const [preview, site] = await Promise.all([
          api.studio.preview.mutate({ content }, { signal }),
          api.studio.site.shown.query(undefined, { signal }),
        ]);
        return { ...preview, language: site.language, scheme: site.theme.scheme };
      },
    }),
    [stored, upload, api],
  );
  const timeZone = useTimeZone(stored.storage);
  return (
    <AccountContext value={stored}>
      <FormServicesProvider value={forms}>
        <TimeZoneProvider value={timeZone}>{children}</TimeZoneProvider>
      </FormServicesProvider>
    </AccountContext>
  );
}

/**
 * Returns the site's time zone. Until the service has answered, returns the last one that this browser saw. Returns UTC if
 * there is none, or if the browser does not know it.
 */
function useTimeZone(storage: BrowserStorage): string {
  const { data } = useQuery(siteQuery(useApi()));
  const timeZone = data?.time_zone;
  const seen = useMemo(() => storage.read('time-zone', TimeZone), [storage]);
  useEffect(() => {
    if (timeZone) storage.write('time-zone', timeZone);
  }, [storage, timeZone]);
  // The browser may not know a zone that the service knows.
  return TimeZone.safeParse(timeZone ?? seen).data ?? utc;
}

const TimeZone = z.string().refine(isTimeZone);

/**
 * Returns a function that converts a path into a URL of the site, whose domain may differ from the studio's. Until
 * the site has loaded, it returns the path alone.
 */
export function useSiteLink() {
  const { data: site } = useQuery(siteQuery(useApi()));
  return (path: string) => `${site?.origin ?? ''}${path}`;
}
