import { Alert } from '@mantine/core';
import { Suspense } from 'react';
import type { FramedForm } from '../fields/use-form-frame.ts';
import { texts } from '../texts/texts.ts';
import { later } from './later.tsx';

const ConflictDialog = later(async () => (await import('../fields/conflict-dialog.tsx')).default);

/** What stands between a form and what it was to do. */
export function FormAlerts({ form: { failure, conflict, isUnanswered } }: { form: FramedForm }) {
  return (
    <>
      {failure && (
        <Alert color="red" role="alert">
          {failure}
        </Alert>
      )}
      {isUnanswered && (
        <Alert color="yellow" role="status">
          {texts.forms.unanswered}
        </Alert>
      )}
      {conflict && (
        <Suspense>
          <ConflictDialog conflict={conflict} />
        </Suspense>
      )}
    </>
  );
}
