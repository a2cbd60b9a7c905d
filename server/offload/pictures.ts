import { cardJob } from '../features/cards/cards.ts';
import { drawCard } from '../features/cards/draw-card.ts';
import { handles } from './handlers.ts';

export const handlers = [handles(cardJob, drawCard)];
