import type { Values } from '../data/records.ts';
import { inFull } from '../texts/moments.ts';
import { capitalised } from '../texts/names.ts';
import { texts } from '../texts/texts.ts';
import { Dot } from '../ui/dot.tsx';
import { isDraft, scheduledFor } from './shape.ts';

/** Whether anybody but the owner can see a record. */
export function StateBadge({ record, hasDrafts }: { record: Values; hasDrafts: boolean }) {
  const { visibility } = record;
  const moment = hasDrafts && scheduledFor(record);
  if (moment) return <Dot tone="waiting" label={texts.records.scheduledFor(inFull(moment))} />;
  if (hasDrafts && isDraft(record)) return <Dot tone="waiting" label={texts.records.draft} />;
  if (typeof visibility === 'string' && visibility !== 'public') {
    return <Dot tone="off" label={capitalised(visibility)} />;
  }
  return <Dot tone="good" label={hasDrafts ? texts.records.published : texts.records.public} />;
}
