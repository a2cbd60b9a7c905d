import { openingJob, openingParagraphsJob, renderJob } from '../features/bodies/jobs.ts';
import { opening, openingParagraphs } from '../features/bodies/opening.ts';
import { renderBody } from '../features/bodies/render.ts';
import { does } from './works.ts';

export const works = [
  does(renderJob, renderBody),
  does(openingJob, opening),
  does(openingParagraphsJob, openingParagraphs),
];
