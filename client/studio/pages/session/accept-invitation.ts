import { type ApiClient, isApiError } from '../../../sdk/index.ts';

/** A link that was mailed, and how the service is called: as nobody, or with a session. */
interface Link {
  token: string;
  service(ownerToken?: string): ApiClient;
}

/** Makes an account; gives the token of its session. */
export const acceptAsNewcomer = async (
  { token, service }: Link,
  { name, password }: { name: string; password: string },
) => (await service().admin.invitations.accept.mutate({ token, name, password })).token;

/** Takes the account that there is: a session of it, on whichever site, says that it is theirs, and ends then. */
export async function acceptWithAccount(
  { token, service }: Link,
  login: { email: string; password: string },
): Promise<string> {
  const own = service(await signInAnywhere(service(), login));
  try {
    return (await own.admin.invitations.accept.mutate({ token })).token;
  } finally {
    await own.admin.session.delete.mutate().catch(() => undefined);
  }
}

async function signInAnywhere(
  { admin }: ApiClient,
  { email, password }: { email: string; password: string },
): Promise<string> {
  try {
    return (await admin.session.create.mutate({ email, password })).token;
  } catch (error) {
    const [first] = (isApiError(error) && error.data.sites) || [];
    if (!first) throw error;
    return (await admin.session.create.mutate({ email, password, site_id: first.id })).token;
  }
}
