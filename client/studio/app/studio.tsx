import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Suspense, use } from 'react';
import { AccountProvider, ServiceProvider, useProofs, useSession } from '../data/api.tsx';
import { createQueryClient } from '../data/query-client.ts';
import { hidePastPages } from '../data/session.ts';
import { borrowSession, lendSession } from '../data/session-loan.ts';
import { ImportsProvider } from '../pages/import-export/imports.ts';
import { InvitationPage, invitationPath } from '../pages/session/invitation-page.tsx';
import {
  NewEmailPage,
  NewPasswordPage,
  newEmailPath,
  newPasswordPath,
} from '../pages/session/link-pages.tsx';
import { SignInAgain, SignInPage } from '../pages/session/sign-in-page.tsx';
import { texts } from '../texts/texts.ts';
import { later } from '../ui/later.tsx';
import { nonce } from '../ui/nonce.ts';
import { askedToConnect, mayBorrow } from './connect-path.ts';
import { createStudioRouter } from './router.tsx';
import { createService } from './service.ts';
import { theme } from './theme.ts';

const queries = createQueryClient();
const { service, imports } = createService(queries);
hidePastPages(service.sessions);
lendSession(service.sessions);
const connecting = askedToConnect();
const borrowed = connecting && mayBorrow() ? borrowSession(service.sessions) : null;
const router = createStudioRouter();

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

const ProofDialog = later(() => import('../pages/session/proof-dialog.tsx'));
const ConnectPage = later(() => import('../pages/assistants/connect-page.tsx'));

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
  return <SignInPage title={texts.connect.signIn} lead={texts.connect.signInLead} />;
}

const Proof = () => useProofs().isAsked && <ProofDialog />;
