import type { DeliveryGap } from '../../../shared/contract/features/mail-delivery.ts';
import { found } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';

/** Missing conditions for the delivery of the site's newsletters. Throws `not_found`. */
export async function findDeliveryGaps(
  { database, mailer, config }: Deps,
  siteId: string,
): Promise<DeliveryGap[]> {
  const { newsletter } = found(
    await database.em
      .getKysely()
      .selectFrom('sites')
      .select(['newsletter'])
      .where('id', '=', siteId)
      .executeTakeFirst(),
  );
  const isSent = mailer.delivers && !mailer.outbox;
  const gaps: [DeliveryGap, boolean][] = [
    ['mail_server', !mailer.delivers],
    ['mail_kept', mailer.outbox !== null],
    ['signature', isSent && !mailer.signs],
    ['bounce_domain', isSent && config.bounceDomain === null],
    ['postal_address', newsletter.postal_address === ''],
  ];
  return gaps.flatMap(([gap, applies]) => (applies ? [gap] : []));
}
