import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { updated } from '../envelopes.ts';
import {
  EmailOrEmpty,
  flag,
  type LabelledFields,
  labelled,
  markdown,
  optionalInputs,
  outputs,
  text,
  url,
} from '../fields.ts';

const email = (description: string, example: string) => ({
  ...text(254, description, example),
  kind: 'email' as const,
  input: documented(EmailOrEmpty, description, example),
});

/** Who the site is about. One per site, written by its owner. */
export const profileFields = {
  name: labelled('Name', text(200, "The creator's name", 'Ada Marsh'), 'As your visitors know you.'),
  headline: labelled(
    'Headline',
    text(200, 'One line under the name', 'I build dependable back ends'),
    'One line below your name: what you do, or for whom.',
  ),
  summary: labelled(
    'About you',
    markdown(50_000, 'About the creator', 'Engineer, teacher, occasional sailor.'),
    'The first thing that visitors read of you.',
  ),
  location: labelled('Where do you live?', text(200, 'Place', 'Porto, Portugal')),
  avatar_url: labelled(
    'Portrait',
    {
      ...url('Portrait', 'https://cdn.example.com/ada.jpg'),
      kind: 'image_url' as const,
    },
    'Stands beside your name.',
  ),
  website: labelled('Another website', url('Home page', 'https://ada.example.com')),
  github: labelled(
    'Your code',
    url('Code', 'https://git.example.com/ada'),
    'Your page on GitHub, Codeberg, GitLab…',
  ),
  linkedin: labelled(
    'LinkedIn',
    url('Professional network', 'https://people.example.com/ada'),
    'Or another professional network.',
  ),
  twitter: labelled(
    'Short posts',
    url('Short posts', 'https://social.example.com/ada'),
    'Your page on Mastodon, Bluesky, X…',
  ),
  email: labelled(
    'E-mail',
    email('Where to write to', 'ada@example.com'),
    'Shown on your site, so that visitors can write to you.',
  ),
  cta_text: labelled('What should the button say?', text(200, 'Text of the call to action', 'Work with me')),
  cta_url: labelled(
    'Where does the button lead?',
    url('Where the call to action leads', 'https://ada.example.com/work'),
  ),
  cta_enabled: labelled(
    'Show a button below your name',
    flag('Whether the call to action is shown'),
    'For the one thing that you want visitors to do.',
  ),
} satisfies LabelledFields;

/** The profile as readers get it. */
export const Profile = titled('Profile', { ...outputs(profileFields), updated }).describe(
  'Who the site is about',
);

/** The owner's update of it; null means unset. */
export const UpdateProfile = z.strictObject(optionalInputs(profileFields));
