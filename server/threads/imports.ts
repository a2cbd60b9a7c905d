import { z } from 'zod';
import { explainIssue } from '../../shared/contract/validation-messages.ts';
import { checkLines } from '../transfer/check-batch.ts';
import { checkLinesJob, findRecordsJob, placeRecordsJob } from '../transfer/jobs.ts';
import { findRecords, placeRecords } from '../transfer/read-source.ts';
import { handles } from './messages.ts';

// Sets the service's own messages for contracts in this thread.
z.config({ customError: explainIssue });

export const handlers = [
  handles(findRecordsJob, findRecords),
  handles(placeRecordsJob, placeRecords),
  handles(checkLinesJob, checkLines),
];
