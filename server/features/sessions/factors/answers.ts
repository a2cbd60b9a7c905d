import type { Transaction } from '../../../../shared/db/config.ts';
import { FactorEntity, RecoveryCode } from '../../../../shared/db/entities/factor.ts';
import { hashSecret } from '../../../../shared/hash-secret.ts';
import { openedOrNull } from '../../../../shared/secret-box.ts';
import type { Deps } from '../../../kernel/deps.ts';
import { plainCode, stepOf } from './totp.ts';

const isTotp = (code: string) => /^\d{6}$/.test(code);

interface OwnCode {
  person_id: string;
  code: string;
}

type Answered = Pick<Deps, 'clock' | 'secrets'>;

/** Uses a code of an app or a recovery code, which counts once, and says whose it is; null when it is wrong, or was used. */
export async function useCode(
  em: Transaction,
  deps: Answered,
  { person_id, code: given }: OwnCode,
): Promise<string | null> {
  const code = plainCode(given);
  const isRight = isTotp(code)
    ? await useTotp(em, deps, { person_id, code })
    : await useRecovery(em, { person_id, code });
  return isRight ? person_id : null;
}

async function useTotp(em: Transaction, { clock, secrets }: Answered, { person_id, code }: OwnCode) {
  const apps = await em
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
    if ((await em.nativeUpdate(FactorEntity, unused, used)) > 0) return true;
  }
  return false;
}

const useRecovery = async (em: Transaction, { person_id, code }: OwnCode) =>
  (await em.nativeDelete(RecoveryCode, { person_id, code_hash: hashSecret(code) })) > 0;
