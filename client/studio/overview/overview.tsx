import { Title } from '@mantine/core';
import { texts } from '../texts/texts.ts';
import { Screen } from '../ui/screen.tsx';

export function Overview() {
  return (
    <Screen title={texts.navigation.overview}>
      <Title order={2}>…</Title>
    </Screen>
  );
}
