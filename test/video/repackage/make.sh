#!/bin/sh
# Makes the files of this folder again, each with one command: `sh make.sh`, in this folder, on Debian 12 with
# ffmpeg. A moving picture and a tone, so that each frame differs from the others. Then write their facts:
# `UPDATE_PACKETS=1 npm test -- test/video/repackage.test.ts`.
set -e
# NAME OPTIONS…: a video of one second.
video() { name=$1; shift
  ffmpeg -v error -y -f lavfi -i testsrc=s=144x256:r=30 -f lavfi -i sine=440:r=44100 -t 1 -map_metadata -1 \
    -fflags +bitexact -flags +bitexact "$@" "$name"; }
X264="-c:v libx264 -crf 45 -pix_fmt yuv420p -g 10 -c:a aac -b:a 16k"
X265="-c:v libx265 -x265-params log-level=none -crf 45 -tag:v hvc1 -c:a aac -b:a 16k"
BT709="-color_primaries bt709 -color_trc bt709 -colorspace bt709 -movflags write_colr"
HLG="-pix_fmt yuv420p10le -color_primaries bt2020 -color_trc arib-std-b67 -colorspace bt2020nc -movflags write_colr"

# --- QuickTime
video moov-last.mov $X264
video moov-first.mov $X264 -movflags +faststart
video timecode.mov $X264 -timecode 01:00:00:00 $BT709
video place.mov $X264 -movflags use_metadata_tags -metadata com.apple.quicktime.location.ISO6709=+00.0000+000.0000/
video hlg.mov $X265 $HLG
video hevc.mov $X265 -pix_fmt yuv420p
video sound-96000.mov $X264 -ar 96000
video sound-alac.mov -c:v libx264 -crf 45 -pix_fmt yuv420p -c:a alac
video sound-late.mov $X264 -filter:a asetpts=PTS+0.3/TB
video two-sounds.mov $X264 -map 0:v -map 1:a -map 1:a
video silent.mov $X264 -an
video sound-pcm.mov -c:v libx264 -crf 45 -pix_fmt yuv420p -c:a pcm_s16le -t 0.2
video prores.mov -vf scale=48:64 -c:v prores_ks -profile:v 0 -c:a aac -t 0.2
# --- fragments
video one-fragment.mp4 $X264 -movflags empty_moov+frag_custom
video explicit-base.mp4 $X264 -movflags frag_keyframe+empty_moov
video omit-offset.mp4 $X264 -movflags frag_keyframe+empty_moov+omit_tfhd_offset
video default-base.mp4 $X264 -movflags frag_keyframe+empty_moov+default_base_moof
video separate.mp4 $X264 -movflags frag_keyframe+empty_moov+separate_moof
video edit-lists.mp4 $X264 -movflags frag_keyframe+empty_moov+delay_moov
video dash.mp4 $X264 -movflags dash+global_sidx+delay_moov
video after-frames.mp4 $X264 -movflags frag_keyframe
video each-frame.mp4 $X264 -movflags frag_every_frame+empty_moov
video starts-late.mp4 $X264 -output_ts_offset 7 -movflags frag_keyframe+empty_moov+delay_moov+frag_discont
video sound-late.mp4 $X264 -filter:a asetpts=PTS+0.3/TB -movflags frag_keyframe+empty_moov+delay_moov
video gap.mp4 $X264 -vf "select='not(between(n,10,15))'" -vsync vfr -movflags frag_keyframe+empty_moov+delay_moov
video vp9-opus.mp4 -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 50k -g 10 -c:a libopus -b:a 8k -movflags frag_keyframe+empty_moov
video hevc.mp4 $X265 -g 10 -pix_fmt yuv420p -movflags frag_keyframe+empty_moov
video fragments.mov $X264 -movflags frag_keyframe+empty_moov
