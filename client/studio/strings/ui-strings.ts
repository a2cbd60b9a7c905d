import { activity } from './activity.ts';
import { analytics } from './analytics.ts';
import { assistants } from './assistants.ts';
import { audience } from './audience.ts';
import { common } from './common.ts';
import { connect } from './connect.ts';
import { curriculum } from './curriculum.ts';
import { factors } from './factors.ts';
import { failures } from './failures.ts';
import { importExport } from './import-export.ts';
import { keys } from './keys.ts';
import { media } from './media.ts';
import { newsletters } from './newsletters.ts';
import { outbox } from './outbox.ts';
import { overview } from './overview.ts';
import { people } from './people.ts';
import { records } from './records.ts';
import { selling } from './selling.ts';
import { session } from './session.ts';
import { site } from './site.ts';
import { webhooks } from './webhooks.ts';

/** All UI strings that do not come from the contract, one file per area. A translation has the same structure. */
export const strings = {
  product: 'Studio',
  ...session,
  ...factors,
  ...common,
  ...records,
  ...media,
  ...importExport,
  ...curriculum,
  ...overview,
  ...analytics,
  ...audience,
  ...newsletters,
  ...selling,
  ...outbox,
  ...site,
  ...people,
  ...keys,
  ...webhooks,
  ...activity,
  ...assistants,
  ...connect,
  ...failures,
} as const;
