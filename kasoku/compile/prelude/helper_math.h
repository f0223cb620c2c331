#pragma once
#error not written yet
