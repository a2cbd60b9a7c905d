import type { TestApp } from './app.ts';
import type { MailServer } from './mail-server.ts';
import { visitorClient } from './rpc.ts';

/** Signs a member in with a code from an email, on the site of `host`. */
export async function signInByMail(
  app: TestApp,
  mail: MailServer,
  { email, name, host }: { email: string; name?: string; host?: string },
) {
  const { members } = visitorClient(app.baseUrl, host ? { host } : {}).site;
  await members.requestCode.mutate({ email, ...(name && { name }) });
  return members.signIn.mutate({ email, code: mail.codeFor(email) });
}
