import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { AccountProvider, createService, ServiceProvider, useSession } from '../data/api.tsx';
import { createQueryClient } from '../data/query-client.ts';
import { hidePastPages } from '../session/past-pages.ts';
import { SignInAgain } from '../session/sign-in-again.tsx';
import { SignInPage } from '../session/sign-in-page.tsx';
import { nonce } from './policy.ts';
import { createStudioRouter } from './router.tsx';
import { theme } from './theme.ts';

const service = createService();
hidePastPages(service.sessions);
const queries = createQueryClient();
const router = createStudioRouter();

export function Studio() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queries}>
        <ServiceProvider service={service}>
          <Notifications position="bottom-center" limit={3} autoClose={5_000} />
          <Screens />
        </ServiceProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}

function Screens() {
  const session = useSession();
  if (session.is === 'out') return <SignInPage />;
  return (
    <AccountProvider account={session.session}>
      <RouterProvider router={router} />
      <SignInAgain />
    </AccountProvider>
  );
}
