import type { Command } from 'commander';
import { z } from 'zod';
import { shortestPassword } from '../../shared/contract/limits.ts';
import { setPassword } from '../features/sessions/passwords.ts';
import { createOwner, listStaff, newPassword } from '../features/sites/owners.ts';
import { checked, type Operate, type OperatorSession } from './operate.ts';
import { siteIdOf } from './sites.ts';
import { table } from './table.ts';

interface OwnerOptions {
  site?: string;
  email?: string;
  name: string;
  password?: string;
}

const passwordOption = ['--password <text>', 'generated and shown when left out'] as const;

const Login = z.object({ email: z.email(), password: z.string().min(shortestPassword) });

/** `pnpm ops owner`. */
export function addOwners(program: Command, operate: Operate) {
  const owner = program.command('owner').description('who logs in to administer a site');

  owner
    .command('list')
    .description('list who works on which site, and as what')
    .action(() =>
      operate.run(async (session) => {
        const staff = await listStaff(session);
        console.log(
          table(
            staff.map(({ email, name, role, site_id, created }) => ({ email, name, role, site_id, created })),
          ),
        );
      }),
    );

  owner
    .command('create')
    .description('make an owner of a site')
    .requiredOption('--email <address>', 'e-mail address to log in with')
    .option('--name <name>', 'name', 'Owner')
    .option(...passwordOption)
    .option('--site <site>', 'id, subdomain or domain of the site; not needed when there is one')
    .action(({ site, name, ...given }: OwnerOptions) =>
      operate.change(siteIdOf(site), async (session, siteId) => {
        const login = loginOf(session, given);
        const recordId = await createOwner(session, siteId, { name, ...login });
        return { recordId, message: shown(login) };
      }),
    );

  owner
    .command('password')
    .description('give somebody who works on a site a new password, and end their sessions')
    .option('--email <address>', 'whose; not needed when there is one owner')
    .option(...passwordOption)
    .action((given: OwnerOptions) =>
      operate.change(siteOfOwner(given.email), async (session) => {
        const owner = await findStaff(session, given.email);
        const login = loginOf(session, { ...given, email: owner.email });
        await setPassword(session, login.email, login.password);
        return { recordId: owner.id, message: shown(login) };
      }),
    );
}

const loginOf = (session: OperatorSession, { email, password }: Pick<OwnerOptions, 'email' | 'password'>) =>
  checked(Login, { email, password: password ?? newPassword(session) });

const shown = ({ email, password }: z.infer<typeof Login>) => `e-mail    ${email}\npassword  ${password}`;

const siteOfOwner = (email: string | undefined) => async (session: OperatorSession) =>
  (await findStaff(session, email)).site_id;

/** Who has this address; the only owner there is when none is named. Throws with what to do. */
export async function findStaff(session: OperatorSession, email: string | undefined) {
  const all = await listStaff(session);
  const meant = all.filter((each) =>
    email === undefined ? each.role === 'owner' : each.email === email.toLowerCase(),
  );
  const [owner] = meant;
  if (!owner && email !== undefined) throw new Error(`nobody has the e-mail address ${email}`);
  if (!owner) throw new Error('There is no owner yet: npx -y pnpm ops owner create --email …');
  if (meant.some(({ id }) => id !== owner.id))
    throw new Error(
      'There are several owners: name one with --email. `npx -y pnpm ops owner list` shows all.',
    );
  return owner;
}
