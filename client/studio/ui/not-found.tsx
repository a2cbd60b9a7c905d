import { texts } from '../texts/texts.ts';
import { Empty } from './empty.tsx';
import { IconMapQuestion } from './icons.ts';

export const NotFound = () => (
  <Empty isPage icon={IconMapQuestion} title={texts.errors.notFound} lead={texts.errors.notFoundLead} />
);
