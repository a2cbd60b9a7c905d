import { FactorEntity, RecoveryCode } from '../../../../shared/db/entities/factor.ts';
import { hashSecret } from '../../../../shared/hash-secret.ts';
import { openedOrNull } from '../../../../shared/secret-box.ts';
import type { Deps } from '../../../kernel/deps.ts';
import { plainCode, stepOf } from './totp.ts';

const isTotp = (code: string) => /^\d{6}$/.test(code);

/** Uses a code of an app or a recovery code, which counts once; null when it is wrong, or was used. */
export async function useCode(deps: Deps, person_id: string, given: string): Promise<true | null> {
  const code = plainCode(given);
  const isRight = isTotp(code)
    ? await useTotp(deps, person_id, code)
    : await useRecovery(deps, person_id, code);
  return isRight || null;
}

async function useTotp({ database, clock, secrets }: Deps, person_id: string, code: string) {
  const apps = await database.em
    .getKysely()
    .selectFrom('factors')
    .select(['id', 'secret_sealed'])
    .where('person_id', '=', person_id)
    .where('kind', '=', 'totp')
    .execute();
  const now = clock.now();
  for (const { id, secret_sealed: sealed } of apps) {
    // One that was sealed with another key matches nothing, and is no reason to refuse what another app shows.
    const step =
      sealed && openedOrNull(() => stepOf({ secrets, now }, { personId: person_id, sealed, code }));
    if (typeof step !== 'number') continue;
    const unused = { person_id, id, $or: [{ last_step: null }, { last_step: { $lt: step } }] };
    const used = { last_step: step, last_used_at: now };
    if ((await database.em.fork().nativeUpdate(FactorEntity, unused, used)) > 0) return true;
  }
  return false;
}

const useRecovery = async ({ database }: Deps, person_id: string, code: string) =>
  (await database.em.fork().nativeDelete(RecoveryCode, { person_id, code_hash: hashSecret(code) })) > 0;
