import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Suspense, use } from 'react';
import { AccountProvider, ServiceProvider, useProofs, useSession } from '../data/api.tsx';
import { createProofs, provingClient } from '../data/identity-proofs.ts';
import { nameMediaSite } from '../data/media.ts';
import { createQueryClient } from '../data/query-client.ts';
import { createSessionStore, hidePastPages, serviceFor, sessionFetch } from '../data/session.ts';
import { borrowSession, lendSession } from '../data/session-loan.ts';
import { createUpload, fetchForm } from '../forms/upload.ts';
import { createImports, ImportsProvider } from '../screens/import-export/imports.ts';
import { InvitationPage, invitationPath } from '../screens/session/invitation-page.tsx';
import {
  NewEmailPage,
  NewPasswordPage,
  newEmailPath,
  newPasswordPath,
} from '../screens/session/link-pages.tsx';
import { SignInAgain, SignInPage } from '../screens/session/sign-in-page.tsx';
import { strings } from '../strings/ui-strings.ts';
import { tabStorage } from '../ui/browser-storage.ts';
import { later } from '../ui/load-on-use.tsx';
import { nonce } from '../ui/nonce.ts';
import { createStudioRouter } from './router.tsx';
import { theme } from './theme.ts';

const connectPath = /^\/studio\/connect\/([^/]+)$/;
const signInHere = '?sign-in';

/** ID of an assistant's connection request, from the address of the page; null on all other pages. */
const connecting = connectPath.exec(window.location.pathname)?.[1] ?? null;

/**
 * Reloads the page for the next session, after the blocker of unsaved changes has been removed. Without a network there
 * would be no page, so this one stays and the next user signs in here.
 */
const loadAnew = () =>
  void setTimeout(() => {
    if (!navigator.onLine) return;
    window.location.replace(connecting ? `${window.location.pathname}${signInHere}` : '/studio');
  });

const queries = createQueryClient();
const sessions = createSessionStore(tabStorage(), loadAnew);
const proofs = createProofs();
const client = serviceFor({ fetch: sessionFetch(sessions) });
const api = provingClient(client, { request: proofs.request, beginWrite: () => queries.beginWrite() });
const upload = createUpload((onSent) => sessionFetch(sessions, fetchForm(onSent)));
const imports = createImports(api, () => void queries.invalidateQueries());
const service = { sessions, proofs, api, upload };
const router = createStudioRouter();
nameMediaSite(sessions);
hidePastPages(sessions);
lendSession(sessions);
// A user who chose to sign in with another account gets no session from another tab.
const borrowed = connecting && window.location.search !== signInHere ? borrowSession(sessions) : null;

export function Studio() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queries}>
        <ServiceProvider value={service}>
          <ImportsProvider value={imports}>
            <Notifications position="bottom-center" limit={3} autoClose={5_000} />
            <Screens />
          </ImportsProvider>
        </ServiceProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}

const ProofDialog = later(() => import('../screens/session/proof-dialog.tsx'));
const ConnectPage = later(() => import('../screens/assistants/connect-page.tsx'));

function Screens() {
  const session = useSession();
  if (window.location.pathname === newPasswordPath) return <NewPasswordPage />;
  if (window.location.pathname === newEmailPath) return <NewEmailPage />;
  if (window.location.pathname === invitationPath) return <InvitationPage />;
  if (session.is === 'out')
    return connecting ? (
      <Suspense>
        <SignInToConnect />
      </Suspense>
    ) : (
      <SignInPage />
    );
  return (
    <AccountProvider account={session.session}>
      {connecting ? <ConnectPage id={connecting} /> : <RouterProvider router={router} />}
      <Proof />
      <SignInAgain />
    </AccountProvider>
  );
}

function SignInToConnect() {
  if (borrowed) use(borrowed);
  return <SignInPage title={strings.connect.signIn} lead={strings.connect.signInLead} />;
}

const Proof = () => useProofs().isRequested && <ProofDialog />;
