import type { Command } from 'commander';
import { resetFactors } from '../features/sessions/factors/store.ts';
import type { Operate } from './operate.ts';
import { findStaff } from './owners.ts';

/** `pnpm ops people`. */
export function addPeople(program: Command, operate: Operate) {
  program
    .command('people')
    .description('who works on sites, whatever their role')
    .command('reset-factors')
    .description(
      'take away the second factors of somebody who has lost them: they are signed out, and their password is enough',
    )
    .argument('<email>', 'whose')
    .action((email: string) =>
      operate.change(
        async (session) => (await findStaff(session, email)).site_id,
        async (session) => {
          const { id } = await findStaff(session, email);
          await resetFactors(session, id);
          return {
            recordId: id,
            message: `${email} signs in with the password alone, until they add a factor.`,
          };
        },
      ),
    );
}
