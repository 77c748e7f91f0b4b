#!/bin/sh
# Makes the files of this folder again, each with one command: `sh make.sh`, in this folder, on Debian 12 with
# ffmpeg, imagemagick, libjpeg-turbo-progs, webp, gifsicle, libheif-examples, libavif-bin, pngcrush,
# libimage-exiftool-perl, libreoffice-writer-nogui, libreoffice-impress-nogui, qpdf, ghostscript, mupdf-tools and
# python3. Nothing of others is in them: a plain color, a gradient, silence, and three words.
set -e
SOURCE="-f lavfi -i color=0x336699:s=576x1024:r=30 -f lavfi -i anullsrc=r=48000:cl=stereo -t 3"
# NAME OPTIONS…: a video of three seconds.
video() { name=$1; shift; ffmpeg -v error -y $SOURCE -map_metadata -1 -fflags +bitexact -flags +bitexact "$@" "$name"; }
# NAME RATE OPTIONS…: one of another frame rate.
rate() { name=$1; fps=$2; shift 2
  ffmpeg -v error -y -f lavfi -i color=0x336699:s=576x1024:r=$fps -f lavfi -i anullsrc=r=48000:cl=stereo -t 3 "$@" "$name"; }
# NAME SOUND OPTIONS…: one with other sound.
sound() { name=$1; source=$2; shift 2
  ffmpeg -v error -y -f lavfi -i color=0x336699:s=576x1024:r=30 -f lavfi -i $source -t 3 -c:v libx264 -pix_fmt yuv420p "$@" "$name"; }
X264="-c:v libx264 -pix_fmt yuv420p -c:a aac"
X265="-c:v libx265 -x265-params log-level=none -tag:v hvc1 -c:a aac"

# --- H.264
video h264-high.mp4 $X264
video h264-baseline.mp4 $X264 -profile:v baseline
video h264-main.mp4 $X264 -profile:v main
video h264-high10.mp4 $X264 -pix_fmt yuv420p10le
video h264-422.mp4 $X264 -pix_fmt yuv422p
video h264-422-10.mp4 $X264 -pix_fmt yuv422p10le
video h264-444.mp4 $X264 -pix_fmt yuv444p
video h264-gray.mp4 $X264 -pix_fmt gray
video h264-full-range.mp4 $X264 -pix_fmt yuvj420p
video h264-intra.mp4 $X264 -g 1
video h264-no-b-frames.mp4 $X264 -bf 0
video h264-interlaced.mp4 $X264 -flags +ilme+ildct -x264-params tff=1
video h264-lossless.mp4 $X264 -qp 0
video h264-moov-first.mp4 $X264 -movflags +faststart
video h264-avc3.mp4 $X264 -tag:v avc3
video h264-timescale.mp4 $X264 -video_track_timescale 90000
video h264-no-edit-list.mp4 $X264 -use_editlist 0
video h264-anamorphic.mp4 $X264 -vf setsar=32/27
video h264-square.mp4 $X264 -vf scale=640:640,setsar=1
video h264-wide.mp4 $X264 -vf scale=1280:720,setsar=1
video h264-landscape-turned.mp4 $X264 -vf scale=1024:576,setsar=1 -metadata:s:v rotate=90
video h264-two-sounds.mp4 $X264 -map 0:v -map 1:a -map 1:a
video h264-silent.mp4 -c:v libx264 -pix_fmt yuv420p -an
video h264.mov $X264
video h264.mkv $X264
video h264.3gp $X264
video h264-hdr-tags.mp4 $X264 -color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc
# --- in fragments
video fragments.mp4 $X264 -movflags frag_keyframe+empty_moov -g 30
video fragments-default-base.mp4 $X264 -movflags frag_keyframe+empty_moov+default_base_moof -g 30
video fragments-after-frames.mp4 $X264 -movflags frag_keyframe -g 30
video fragments-of-frames.mp4 $X264 -movflags frag_every_frame+empty_moov -an
video fragments-cmaf.mp4 $X264 -movflags cmaf -g 30
video fragments-dash.mp4 $X264 -movflags dash+global_sidx -g 30
video fragments-no-index.mp4 $X264 -movflags frag_keyframe+empty_moov+skip_trailer -g 30
video fragments.mov $X264 -movflags frag_keyframe+empty_moov -g 30
# --- frame rates
for fps in 5 10 15 20 23 24 25 30 48 50 60 90 120 240 24000/1001 30000/1001 60000/1001; do
  rate "rate-$(echo $fps | sed 's,/1001,-ntsc,').mp4" $fps $X264
done
rate rate-variable.mp4 60 $X264 -vf "select='lt(n,90)+not(mod(n,3))'" -vsync vfr
rate rate-variable-fast.mp4 240 $X264 -vf "select='lt(n,240)+not(mod(n,8))'" -vsync vfr
rate rate-variable-slow.mp4 30 $X264 -vf "select='lt(n,60)+not(mod(n,6))'" -vsync vfr
# --- HEVC
video hevc.mp4 $X265 -pix_fmt yuv420p
video hevc-10.mp4 $X265 -pix_fmt yuv420p10le
video hevc-422-10.mp4 $X265 -pix_fmt yuv422p10le
video hevc-444.mp4 $X265 -pix_fmt yuv444p
video hevc-pq.mp4 $X265 -pix_fmt yuv420p10le -color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc
video hevc-hlg.mp4 $X265 -pix_fmt yuv420p10le -color_primaries bt2020 -color_trc arib-std-b67 -colorspace bt2020nc
video hevc-hev1.mp4 $X265 -pix_fmt yuv420p -tag:v hev1
video hevc.mov $X265 -pix_fmt yuv420p
video hevc.mkv $X265 -pix_fmt yuv420p
video hevc-fragments.mp4 $X265 -pix_fmt yuv420p -movflags frag_keyframe+empty_moov
# --- other codecs
video vp9.mp4 -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 50k -c:a aac
video vp9-10.mp4 -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 50k -pix_fmt yuv420p10le -c:a aac
video vp9-444.mp4 -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 50k -pix_fmt yuv444p -c:a aac
video vp9.webm -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 50k -c:a libopus -b:a 8k
video vp8.webm -c:v libvpx -deadline realtime -b:v 50k -c:a libvorbis
video vp9-live.webm -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 50k -an -f webm -live 1
video av1.mp4 -c:v libsvtav1 -preset 12 -crf 50 -c:a aac
video av1-10.mp4 -c:v libsvtav1 -preset 12 -crf 50 -pix_fmt yuv420p10le -c:a aac
video av1.webm -c:v libsvtav1 -preset 12 -crf 50 -c:a libopus -b:a 8k
video mpeg4.mp4 -c:v mpeg4 -vf scale=144:256 -b:v 20k -c:a aac
video mpeg2.mp4 -c:v mpeg2video -vf scale=144:256 -b:v 20k -c:a aac
video mpeg4.avi -c:v mpeg4 -vf scale=144:256 -b:v 20k -c:a libmp3lame
video h263.3gp -s 352x288 -c:v h263 -r 30000/1001 -c:a aac
video mjpeg.mov -vf scale=90:160 -r 6 -c:v mjpeg -pix_fmt yuvj420p -c:a aac
video prores.mov -vf scale=90:160 -r 4 -c:v prores_ks -profile:v 0 -c:a pcm_u8 -ar 8000 -ac 1
video prores-4444.mov -vf scale=90:160 -r 4 -c:v prores_ks -profile:v 4444 -an
# --- sound
SILENCE=anullsrc=r=48000:cl=stereo
sound sound-opus.mp4 $SILENCE -c:a libopus -b:a 8k
sound sound-mp3.mp4 $SILENCE -c:a libmp3lame -b:a 32k
sound sound-ac3.mp4 anullsrc=r=48000:cl=mono -c:a ac3 -b:a 32k
sound sound-eac3.mp4 anullsrc=r=48000:cl=mono -c:a eac3 -b:a 32k
sound sound-alac.mp4 $SILENCE -c:a alac
sound sound-flac.mp4 $SILENCE -c:a flac -strict -2
sound sound-vorbis.mp4 $SILENCE -c:a libvorbis
sound sound-pcm.mov anullsrc=r=8000:cl=mono -c:a pcm_s16le -t 0.3
sound sound-5-1.mp4 anullsrc=r=48000:cl=5.1 -c:a aac
sound sound-quad.mp4 anullsrc=r=48000:cl=quad -c:a aac
sound sound-mono.mp4 anullsrc=r=48000:cl=mono -c:a aac
sound sound-44100.mp4 anullsrc=r=44100:cl=stereo -c:a aac
sound sound-96000.mp4 anullsrc=r=96000:cl=stereo -c:a aac
sound sound-8000.mp4 anullsrc=r=8000:cl=mono -c:a aac
sound sound-opus.mkv $SILENCE -c:a libopus -b:a 8k
# --- damaged videos
head -c 2000 h264-moov-first.mp4 > cut-moov.mp4
head -c -300 h264-moov-first.mp4 > cut-moov-first.mp4
head -c 3000 h264-high.mp4 > cut-moov-last.mp4
head -c -2500 fragments-no-index.mp4 > cut-fragments.mp4
head -c -400 vp9.webm > cut.webm

# --- JPEG
convert -size 640x800 gradient:navy-orange gradient.ppm
convert -size 640x800 gradient:gray20-gray80 -colorspace Gray gray.pgm
cjpeg -quality 60 gradient.ppm > baseline.jpg
cjpeg -quality 60 -progressive gradient.ppm > progressive.jpg
cjpeg -quality 60 -optimize gradient.ppm > optimized.jpg
cjpeg -quality 60 -arithmetic gradient.ppm > arithmetic.jpg
cjpeg -quality 60 -restart 8B gradient.ppm > restarts.jpg
cjpeg -quality 60 -restart 1 -progressive gradient.ppm > progressive-restarts.jpg
cjpeg -quality 60 -sample 1x1 gradient.ppm > 444.jpg
cjpeg -quality 60 -sample 2x1 gradient.ppm > 422.jpg
cjpeg -quality 60 -sample 1x2 gradient.ppm > 440.jpg
cjpeg -quality 60 -sample 4x1 gradient.ppm > 411.jpg
cjpeg -quality 60 -rgb gradient.ppm > rgb.jpg
cjpeg -quality 60 -dct float gradient.ppm > dct-float.jpg
cjpeg -quality 5 gradient.ppm > quality-5.jpg
cjpeg -quality 60 gray.pgm > gray.jpg
convert gradient.ppm -colorspace CMYK -quality 60 cmyk.jpg
convert gradient.ppm -quality 60 -set comment "a comment" comment.jpg
convert gradient.ppm -quality 60 -interlace Plane magick-progressive.jpg
ffmpeg -v error -y -i gradient.ppm -q:v 8 -bitexact ffmpeg.jpg
jpegtran -copy none -rotate 90 baseline.jpg > jpegtran.jpg
for turn in 1 2 3 4 5 6 7 8; do
  exiftool -q -n -Orientation=$turn -o exif-$turn.jpg baseline.jpg
done
convert baseline.jpg -thumbnail 80x100 thumbnail.jpg
exiftool -q "-ThumbnailImage<=thumbnail.jpg" -o exif-thumbnail.jpg baseline.jpg
exiftool -q -XMP-dc:Title=Gradient -IPTC:Keywords=gradient -o xmp-iptc.jpg baseline.jpg
# Phones append a video, or more pictures, or zeros.
cat baseline.jpg h264-silent.mp4 > with-video.jpg
cat baseline.jpg thumbnail.jpg > with-preview.jpg
{ cat baseline.jpg; head -c 2000 /dev/zero; } > with-zeros.jpg
{ cat baseline.jpg; printf '\n'; } > with-newline.jpg
# Some cameras write a few bytes between two segments: after the 18 of the first, and after the start.
{ head -c 20 baseline.jpg; printf 'sixteen bytes...'; tail -c +21 baseline.jpg; } > stray-bytes.jpg
{ head -c 20 baseline.jpg; printf '\000\000\377\000'; tail -c +21 baseline.jpg; } > stray-zeros.jpg
{ head -c 20 baseline.jpg; printf '\377\377\377'; tail -c +21 baseline.jpg; } > filled.jpg
head -c 3000 baseline.jpg > cut-half.jpg
head -c -2 baseline.jpg > cut-end.jpg
head -c -1 baseline.jpg > cut-last-byte.jpg
head -c -700 progressive.jpg > cut-progressive.jpg
head -c 300 baseline.jpg > cut-header.jpg
{ head -c 3000 baseline.jpg; head -c 3000 /dev/zero; } > cut-zeros.jpg
{ head -c 3000 exif-thumbnail.jpg; } > cut-thumbnail.jpg

# --- PNG
convert -size 320x400 gradient:navy-orange rgb8.png
convert -size 320x400 gradient:navy-orange -depth 16 -define png:bit-depth=16 rgb16.png
convert -size 320x400 gradient:navy-transparent rgba8.png
convert -size 320x400 gradient:gray20-gray80 -colorspace Gray gray8.png
convert -size 320x400 gradient: -monochrome -define png:bit-depth=1 gray1.png
convert -size 320x400 gradient:navy-orange -colors 200 png8:palette.png
convert -size 320x400 gradient:navy-orange -colors 4 -define png:bit-depth=2 png8:palette2.png
convert -size 320x400 gradient:gray20-transparent -colorspace Gray gray-alpha.png
convert -size 320x400 gradient:navy-orange -interlace PNG interlaced.png
convert -size 321x401 gradient:gray20-gray80 -monochrome -interlace PNG interlaced1.png
convert -size 3x2 gradient:navy-orange -interlace PNG interlaced-tiny.png
convert -size 320x400 gradient:navy-orange -define png:compression-level=0 -scale 64x80 stored.png
pngcrush -q -brute rgb8.png crushed.png
ffmpeg -v error -y -f lavfi -i color=navy:s=320x400:r=5 -t 1 -f apng -bitexact animated.png
exiftool -q -XMP-dc:Title=Gradient -o xmp.png rgb8.png
{ cat rgb8.png; printf 'some text after the end'; } > with-text.png
head -c 500 rgb8.png > cut-half.png
head -c -12 rgb8.png > cut-end.png
head -c -1 rgb8.png > cut-last-byte.png
# A byte of the pixels is another one, so their checksum is wrong.
{ head -c 400 rgb8.png; printf '\252\125'; tail -c +403 rgb8.png; } > changed.png
# A picture of 320 by 400 whose header says 320 by 800, with its checksum: half of the rows are missing.
perl -e 'use Compress::Zlib; local $/; open F, "<:raw", "rgb8.png"; $d = <F>; substr($d, 20, 4) = pack("N", 800); substr($d, 29, 4) = pack("N", crc32(substr($d, 12, 17))); binmode STDOUT; print $d' > short.png

# --- GIF
convert -size 320x400 gradient:navy-orange -colors 64 still.gif
convert -size 320x400 gradient:navy-orange -colors 64 -interlace GIF interlaced.gif
convert -size 320x400 gradient:navy-transparent -colors 16 transparent.gif
ffmpeg -v error -y -f lavfi -i testsrc=s=160x200:r=4 -t 1 -bitexact animated.gif
gifsicle -O3 animated.gif > optimized.gif
gifsicle --loopcount=forever --comment "a comment" animated.gif > comment.gif
{ cat still.gif; head -c 100 /dev/zero; } > with-zeros.gif
{ cat still.gif; printf 'some text'; } > with-text.gif
head -c 1500 still.gif > cut-half.gif
head -c 4000 animated.gif > cut-animation.gif
head -c -1 still.gif > cut-end.gif

# --- WebP
cwebp -quiet -q 50 rgb8.png -o lossy.webp
cwebp -quiet -lossless rgb8.png -o lossless.webp
cwebp -quiet -q 50 rgba8.png -o alpha.webp
cwebp -quiet -q 50 -metadata all xmp.png -o xmp.webp
gif2webp -quiet animated.gif -o animated.webp
gif2webp -quiet -lossy animated.gif -o animated-lossy.webp
{ cat lossy.webp; printf 'some text'; } > with-text.webp
head -c -100 lossy.webp > cut.webp.part && mv cut.webp.part cut-lossy.webp
head -c 400 lossless.webp > cut-lossless.webp
head -c -300 animated.webp > cut-animation.webp

# --- BMP and TIFF
convert -size 32x40 gradient:navy-orange BMP3:windows3.bmp
convert -size 32x40 gradient:navy-orange BMP2:os2.bmp
convert -size 32x40 gradient:navy-orange -colors 16 -compress RLE BMP3:rle.bmp
convert -size 32x40 gradient:navy-transparent BMP:windows5.bmp
ffmpeg -v error -y -f lavfi -i color=navy:s=32x40 -frames:v 1 -pix_fmt rgb565le rgb565.bmp
head -c 2000 windows3.bmp > cut.bmp
head -c 2000 os2.bmp > cut-os2.bmp
convert -size 32x40 gradient:navy-orange -compress LZW lzw.tif
convert -size 32x40 gradient:navy-orange -compress JPEG jpeg.tif
convert -size 32x40 gradient:navy-orange -endian MSB -compress Zip zip.tif

# --- HEIC and AVIF
heif-enc -q 30 rgb8.png -o heic.heic > /dev/null
heif-enc -q 30 -t off baseline.jpg -o from-jpeg.heic > /dev/null
avifenc rgb8.png avif.avif > /dev/null
avifenc -d 10 rgb8.png avif-10.avif > /dev/null
head -c -500 heic.heic > cut.heic
head -c -300 avif.avif > cut.avif

# --- documents
PAGE='<p style="page-break-before:always">'
printf "<h1>Report</h1><p>One</p>${PAGE}Two</p>${PAGE}Three</p>" > report.html
OFFICE="soffice --headless --convert-to"
$OFFICE odt --infilter="HTML (StarWriter)" report.html > /dev/null
for type in pdf docx doc; do $OFFICE $type report.odt > /dev/null; done
cat > slides.fodp <<'SLIDES'
<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation><draw:page draw:name="a"/><draw:page draw:name="b"/><draw:page draw:name="c"/><draw:page draw:name="d"/><draw:page draw:name="e"/></office:presentation></office:body></office:document>
SLIDES
$OFFICE pptx slides.fodp > /dev/null # slides.pptx
printf "a,b\n1,2\n" > spreadsheet.csv
$OFFICE xlsx --infilter="CSV:44,34,76" spreadsheet.csv > /dev/null # spreadsheet.xlsx
qpdf --linearize report.pdf linearized.pdf
qpdf --object-streams=generate report.pdf object-streams.pdf
qpdf --object-streams=disable --newline-before-endstream report.pdf table.pdf
qpdf --min-version=1.3 --qdf report.pdf qdf.pdf
qpdf --encrypt user owner 256 -- report.pdf locked.pdf
qpdf --encrypt "" owner 128 --use-aes=y -- report.pdf restricted.pdf
qpdf --empty --pages report.pdf 1,2,3,1,2,3,1 -- seven.pdf
gs -q -dNOPAUSE -dBATCH -sDEVICE=pdfwrite -sOutputFile=ghostscript.pdf report.pdf
mutool clean -gggg -z report.pdf mupdf.pdf
{ printf 'A line before the header\n'; cat report.pdf; } > late-header.pdf
{ cat report.pdf; printf '\n\n\n'; } > with-newlines.pdf
head -c 9000 report.pdf > cut.pdf
head -c 8000 linearized.pdf > cut-linearized.pdf
head -c -200 report.docx > cut.docx
head -c 6000 report.doc > cut.doc
python3 -c "
import zipfile
old, new = zipfile.ZipFile('report.docx'), zipfile.ZipFile('macros.docm', 'w', zipfile.ZIP_DEFLATED)
for name in old.namelist(): new.writestr(name, old.read(name))
new.writestr('word/vbaProject.bin', b'macros')"
rm report.html slides.fodp spreadsheet.csv

# --- no pictures
convert rgb8.png -resize 32x40 ico.ico
convert -size 32x40 gradient:navy-orange jpeg2000.jp2
printf "%%PDF-1.4\n%%%%%%%%EOF\n" > page.pdf
printf '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="80"><rect width="64" height="80"/></svg>' > drawing.svg
ffmpeg -v error -y -f lavfi -i anullsrc=r=8000:cl=mono -t 1 -bitexact sound.m4a
ffmpeg -v error -y -f lavfi -i anullsrc=r=8000:cl=mono -t 1 -bitexact sound.wav
ffmpeg -v error -y -f lavfi -i anullsrc=r=8000:cl=mono -t 1 -b:a 8k -bitexact sound.mp3
printf '' > empty.jpg
printf 'This is a text.\n' > text.jpg
rm gradient.ppm gray.pgm
