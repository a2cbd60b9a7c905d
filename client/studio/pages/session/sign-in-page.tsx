import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import { texts } from '../../texts/texts.ts';
import { IconPencil } from '../../ui/icons.ts';
import classes from './sign-in.module.css';
import { SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  return (
    <Center component="main" mih="100dvh" p="md" className={classes.page}>
      <Stack w={380} maw="100%" gap="xl">
        <Stack gap={6} align="center">
          <span className={classes.mark}>
            <IconPencil size={24} stroke={1.8} aria-hidden />
          </span>
          <Title order={1} fz={24} mt="sm" ta="center">
            {texts.session.title}
          </Title>
          <Text c="dimmed" ta="center">
            {texts.session.lead}
          </Text>
        </Stack>
        <Paper p={{ base: 'lg', xs: 28 }} className={classes.card}>
          <SignInForm />
        </Paper>
        <Text c="dimmed" fz="xs" ta="center">
          {texts.session.forgotten}
        </Text>
      </Stack>
    </Center>
  );
}
