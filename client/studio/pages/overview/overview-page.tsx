import { SimpleGrid } from '@mantine/core';
import { opens } from '../../../../shared/contract/roles.ts';
import { useRole } from '../../data/rights.ts';
import { texts } from '../../texts/texts.ts';
import { Screen } from '../../ui/screen.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LastPost } from './last-post.tsx';
import { Newcomers } from './newcomers.tsx';
import { Visits } from './visits.tsx';
import { Waiting } from './waiting.tsx';

/** What one wants to know first, as far as one's role goes. */
export function OverviewPage() {
  const role = useRole();
  return (
    <Screen title={texts.overview.title}>
      {opens(role, 'site', true) && <FirstSteps />}
      <Visits />
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing={16}>
        <LastPost />
        {opens(role, 'audience', false) && <Newcomers />}
        <Waiting />
      </SimpleGrid>
    </Screen>
  );
}
