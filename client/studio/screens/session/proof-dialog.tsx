import { getDefaultZIndex, Modal, Skeleton, Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useApi, useProofs } from '../../data/api.tsx';
import { strings } from '../../strings/ui-strings.ts';
import { Note } from '../../ui/note.tsx';
import { Pending } from '../../ui/pending.tsx';
import FactorStep, { type GivenFactor } from './factor-step.tsx';

/** Z-index of this dialog, in front of other dialogs and confirmations. */
const inFront = Number(getDefaultZIndex('modal')) + 2;

/** Dialog that asks the signed-in user for a second factor. The refused action continues on success and fails on cancel. */
export default function ProofDialog() {
  const { settle } = useProofs();
  return (
    <Modal
      opened
      onClose={() => settle(false)}
      title={strings.factors.proof.title}
      size="sm"
      zIndex={inFront}
      closeOnClickOutside={false}
      // A dialog behind this one also receives the key, and must not close.
      closeOnEscape={false}
      onFocusCapture={({ target }) => target.setAttribute('data-mantine-stop-propagation', 'true')}
      onKeyDown={({ key }) => key === 'Escape' && settle(false)}
    >
      <Stack>
        <Note>{strings.factors.proof.lead}</Note>
        <Proof onGiven={() => settle(true)} />
      </Stack>
    </Modal>
  );
}

function Proof({ onGiven }: { onGiven(): void }) {
  const { session } = useApi().admin;
  const challengeQuery = useQuery({
    queryKey: ['proof'],
    queryFn: async ({ signal }) => {
      const challengeQuery = await session.proof.mutate({}, { signal });
      // No proof is needed: the last factor was removed elsewhere, or an earlier proof succeeded and its answer was lost.
      if (challengeQuery.factors.length === 0 || challengeQuery.proved_until) onGiven();
      return challengeQuery;
    },
    gcTime: 0,
    staleTime: 'static',
  });
  const challenge = challengeQuery.data?.challenge ?? undefined;
  const proving = useMutation({
    mutationFn: (given: GivenFactor) =>
      session.proof.mutate('response' in given ? { challenge, ...given } : given),
    onSuccess: onGiven,
    // The next attempt needs a new challenge.
    onError: () => challengeQuery.refetch(),
  });
  if (challengeQuery.error || !challengeQuery.data)
    return <Pending query={challengeQuery} skeleton={<Skeleton h={120} radius="md" />} />;
  const { factors, options } = challengeQuery.data;
  return (
    <FactorStep
      {...{ factors, options }}
      isPending={proving.isPending}
      error={proving.error}
      onGiven={proving.mutate}
    />
  );
}
