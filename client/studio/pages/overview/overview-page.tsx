import { SimpleGrid } from '@mantine/core';
import { texts } from '../../texts/texts.ts';
import { Screen } from '../../ui/screen.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LastPost } from './last-post.tsx';
import { Newcomers } from './newcomers.tsx';
import { Visits } from './visits.tsx';
import { Waiting } from './waiting.tsx';

/** What an owner wants to know first. */
export const OverviewPage = () => (
  <Screen title={texts.overview.title}>
    <FirstSteps />
    <Visits />
    <SimpleGrid cols={{ base: 1, md: 3 }} spacing={16}>
      <LastPost />
      <Newcomers />
      <Waiting />
    </SimpleGrid>
  </Screen>
);
