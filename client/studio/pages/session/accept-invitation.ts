import type { ApiClient } from '../../../sdk/index.ts';

/** How the service is called: as nobody, or with a session. */
type Service = (ownerToken?: string) => ApiClient;

/** Takes the account that there is: a session of it, on whichever site, says that it is theirs, and ends then. */
export async function acceptWithAccount(
  service: Service,
  token: string,
  ownerToken: string,
): Promise<string> {
  const own = service(ownerToken);
  try {
    return (await own.admin.invitations.accept.mutate({ token })).token;
  } finally {
    await own.admin.session.delete.mutate().catch(() => undefined);
  }
}
