import { p } from '@mikro-orm/core';
import { moment, table } from '../columns.ts';

/** What a record was made of in another system. It outlives the record: what its owner deleted is not imported again. */
export const ImportedRecord = table('imported_records', {
  site_id: p.text().primary(),
  /** The system, and which of its sites. */
  source: p.text().primary(),
  collection: p.text().primary(),
  source_id: p.text().primary(),
  record_id: p.text(),
  created: moment(),
});
